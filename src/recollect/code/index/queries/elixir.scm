(call target: (identifier) (arguments . (alias) @name) (do_block) @body) @definition.module
(call target: (identifier) (arguments . (alias) @name . (keywords)) (do_block) @body) @scope
(call target: (identifier) (arguments . (call target: (identifier) @name))) @definition.function
(call target: (identifier) (arguments . (identifier) @name)) @definition.function
(call target: (identifier) (arguments . (binary_operator left: (call target: (identifier) @name)))) @definition.function
(call target: (identifier) (arguments . (call target: (identifier))) (do_block) @body)
(call target: (identifier) (arguments . (binary_operator left: (call target: (identifier)))) (do_block) @body)
(call target: (identifier) (arguments (call target: (identifier)) (keywords) @body))
(call target: (identifier) (arguments . (identifier) (keywords) @body))
(call target: (identifier) (arguments . (string) @name) (do_block) @body) @definition.test
(unary_operator operand: (call target: (identifier) @name)) @definition.constant
(unary_operator operand: (call)) @decorator

(call target: [(identifier) (dot)] @reference.call)
(unary_operator operand: (call target: (identifier) (arguments (alias) @reference.implements)))
(struct (alias) @reference.type)
(call target: (identifier) @import.call (arguments . (alias) @import.module)) @import
(call target: (identifier) @import.call (arguments . (dot left: (alias) @import.module right: (tuple (alias) @import.name)))) @import
(call target: (identifier) (arguments . (alias) (keywords (pair key: (keyword) value: (alias) @import.alias))))
