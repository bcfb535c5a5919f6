(function_definition declarator: (function_declarator declarator: (identifier) @name) body: (_) @body) @definition.function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)) body: (_) @body) @definition.function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) body: (_) @body) @definition.function
(function_definition declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))) body: (_) @body) @definition.function
(function_definition declarator: (function_declarator declarator: (parenthesized_declarator (identifier) @name)) body: (_) @body) @definition.function
(translation_unit (declaration declarator: (function_declarator declarator: (identifier) @name)) @definition.function)
(translation_unit (declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @definition.function)
(preproc_ifdef (declaration declarator: (function_declarator declarator: (identifier) @name)) @definition.function)
(preproc_ifdef (declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @definition.function)
(struct_specifier name: (type_identifier) @name body: (_) @body) @definition.class
(union_specifier name: (type_identifier) @name body: (_) @body) @definition.class
(enum_specifier name: (type_identifier) @name body: (_) @body) @definition.class
(enumerator name: (identifier) @name) @definition.constant
(type_definition declarator: (type_identifier) @name) @definition.type
(type_definition declarator: (pointer_declarator declarator: (type_identifier) @name)) @definition.type
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))) @definition.type
(preproc_function_def name: (identifier) @name value: (_) @body) @definition.function
(preproc_def name: (identifier) @name value: (_)) @definition.constant
(translation_unit (declaration declarator: (init_declarator declarator: (identifier) @name)) @definition.constant)
(translation_unit (declaration declarator: (init_declarator declarator: (array_declarator declarator: (identifier) @name))) @definition.constant)
(translation_unit (declaration declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))) @definition.constant)

(call_expression function: [(identifier) (field_expression)] @reference.call)
(argument_list (identifier) @reference.use)
(initializer_pair value: (identifier) @reference.use)
(initializer_list (identifier) @reference.use)
(type_identifier) @reference.type
(preproc_include path: (_) @import.module) @import
