(function_declaration name: (identifier) @name) @definition.function
(function_declaration body: (_) @body)
(variable_declaration . (identifier) @name [(struct_declaration) (union_declaration) (enum_declaration) (opaque_declaration) (error_set_declaration)] @body) @definition.class
(source_file (variable_declaration . (identifier) @name) @definition.constant)
(struct_declaration (variable_declaration . (identifier) @name) @definition.constant)
(enum_declaration (container_field name: (identifier) @name) @definition.constant)
(test_declaration (string) @name (block) @body) @definition.test
(test_declaration (identifier) @name (block) @body) @definition.test

(call_expression function: [(identifier) (field_expression)] @reference.call)
(call_expression (identifier) @reference.use)
(variable_declaration . (identifier) @import.namespace (builtin_function (builtin_identifier) @import.call (arguments . (string) @import.module))) @import @definition.import
(variable_declaration . (identifier) @import.alias (field_expression object: (builtin_function (builtin_identifier) @import.call (arguments . (string) @import.module)) member: (identifier) @import.name)) @import @definition.import
