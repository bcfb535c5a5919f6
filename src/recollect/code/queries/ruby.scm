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
(superclass [(constant) (scope_resolution)] @reference.base)
(call method: (identifier) arguments: (argument_list [(constant) (scope_resolution)] @reference.implements))
(argument_list [(constant) (scope_resolution)] @reference.use)
(call method: (identifier) @import.call arguments: (argument_list . (string) @import.module)) @import
