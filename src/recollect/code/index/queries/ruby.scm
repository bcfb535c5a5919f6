(method name: (_) @name) @definition.function
(method body: (_) @body)
(singleton_method object: (_) @owner name: (_) @name) @definition.function
(singleton_method body: (_) @body)
(class name: (_) @name) @definition.class
(module name: (_) @name) @definition.module
(class body: (_) @body)
(module body: (_) @body)
(assignment left: (constant) @name) @definition.constant
(call method: (identifier) arguments: (argument_list (simple_symbol) @name)) @definition.method
(call arguments: (argument_list . (simple_symbol)) block: (_) @body)
(call method: (identifier) arguments: (argument_list . [(string) (constant) (scope_resolution)] @name) block: (_) @body) @definition.test
(call receiver: (constant) method: (identifier) arguments: (argument_list . [(string) (constant) (scope_resolution)] @name) block: (_) @body) @definition.test
(body_statement (identifier) @access)


(call method: [(identifier) (constant)] @reference.call) @path
[(body_statement (identifier) @reference.word) (block_body (identifier) @reference.word) (program (identifier) @reference.word) (then (identifier) @reference.word) (else (identifier) @reference.word) (do (identifier) @reference.word) (begin (identifier) @reference.word) (parenthesized_statements (identifier) @reference.word)]
[(assignment right: (identifier) @reference.word) (operator_assignment right: (identifier) @reference.word) (binary [left: (identifier) @reference.word right: (identifier) @reference.word]) (unary operand: (identifier) @reference.word)]
[(if condition: (identifier) @reference.word) (unless condition: (identifier) @reference.word) (elsif condition: (identifier) @reference.word) (if_modifier (identifier) @reference.word) (unless_modifier (identifier) @reference.word) (while condition: (identifier) @reference.word) (until condition: (identifier) @reference.word) (case value: (identifier) @reference.word) (conditional (identifier) @reference.word)]
[(argument_list (identifier) @reference.word) (interpolation (identifier) @reference.word) (array (identifier) @reference.word) (pair value: (identifier) @reference.word) (call receiver: (identifier) @reference.word) (element_reference object: (identifier) @reference.word)]
(superclass [(constant) (scope_resolution)] @reference.base)
(call method: (identifier) arguments: (argument_list [(constant) (scope_resolution)] @reference.implements))
(argument_list [(constant) (scope_resolution)] @reference.use)
(call method: (identifier) @import.call arguments: (argument_list . (string) @import.module)) @import
