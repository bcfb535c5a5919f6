(function_declaration name: (_) @name) @definition.function
(function_declaration body: (_) @body)
(assignment_statement (variable_list . name: (_) @name) (expression_list . value: (function_definition))) @definition.function
(function_definition body: (_) @body)
(field name: (identifier) @name value: (function_definition)) @definition.function
(chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name))) @definition.constant)
(chunk (assignment_statement (variable_list name: (_) @name)) @definition.constant)
(function_call arguments: (arguments . (string) @name . (function_definition))) @definition.test

(function_call name: [(identifier) (dot_index_expression) (method_index_expression)] @reference.call)
(arguments (identifier) @reference.use)
(variable_declaration (assignment_statement (variable_list . name: (identifier) @import.namespace) (expression_list . value: (function_call name: (identifier) @import.call arguments: (arguments . (string) @import.module))))) @import @definition.import
(chunk (function_call name: (identifier) @import.call arguments: (arguments . (string) @import.module)) @import)
