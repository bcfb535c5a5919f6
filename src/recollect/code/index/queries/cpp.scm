(function_definition declarator: (function_declarator declarator: (_) @name) body: (_) @body) @definition.function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name)) body: (_) @body) @definition.function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name))) body: (_) @body) @definition.function
(function_definition declarator: (reference_declarator (function_declarator declarator: (_) @name)) body: (_) @body) @definition.function
(function_definition declarator: (function_declarator declarator: (_) @name) [(default_method_clause) (delete_method_clause)] @body) @definition.function
(function_definition declarator: (reference_declarator (function_declarator declarator: (_) @name)) [(default_method_clause) (delete_method_clause)] @body) @definition.function
(function_definition declarator: (operator_cast) @name body: (_) @body) @definition.function
(field_declaration declarator: (function_declarator declarator: (field_identifier) @name)) @definition.method
(field_declaration declarator: (function_declarator declarator: (operator_name) @name)) @definition.method
(field_declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name))) @definition.method
(field_declaration declarator: (reference_declarator (function_declarator declarator: (_) @name))) @definition.method
(field_declaration_list (declaration declarator: (function_declarator declarator: [(identifier) (destructor_name) (operator_name)] @name)) @definition.method)
(translation_unit (declaration declarator: (function_declarator declarator: (identifier) @name)) @definition.function)
(translation_unit (declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @definition.function)
(declaration_list (declaration declarator: (function_declarator declarator: (identifier) @name)) @definition.function)
(declaration_list (declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @definition.function)
(declaration_list (declaration declarator: (reference_declarator (function_declarator declarator: (identifier) @name))) @definition.function)
(preproc_ifdef (declaration declarator: (function_declarator declarator: (identifier) @name)) @definition.function)
(class_specifier name: (_) @name body: (_) @body) @definition.class
(struct_specifier name: (_) @name body: (_) @body) @definition.class
(union_specifier name: (_) @name body: (_) @body) @definition.class
(enum_specifier name: (_) @name body: (_) @body) @definition.class
(enumerator name: (identifier) @name) @definition.constant
(namespace_definition name: (_) @name body: (_) @body) @definition.module
(alias_declaration name: (type_identifier) @name) @definition.type
(type_definition declarator: (type_identifier) @name) @definition.type
(type_definition declarator: (pointer_declarator declarator: (type_identifier) @name)) @definition.type
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))) @definition.type
(concept_definition name: (identifier) @name) @definition.interface
(preproc_function_def name: (identifier) @name value: (_) @body) @definition.function
(preproc_def name: (identifier) @name value: (_)) @definition.constant
(init_declarator declarator: (identifier) @name value: (lambda_expression body: (_) @body)) @definition.function
(translation_unit (declaration declarator: (init_declarator declarator: (identifier) @name)) @definition.constant)
(declaration_list (declaration declarator: (init_declarator declarator: (identifier) @name)) @definition.constant)
(field_declaration declarator: (field_identifier) @name default_value: (_)) @definition.member
(template_declaration (template_parameter_list) @decorator)
(field_declaration_list (access_specifier) @access)

(call_expression function: [(identifier) (field_expression) (qualified_identifier)] @reference.call)
(call_expression function: (template_function name: (identifier) @reference.call))
(new_expression type: [(type_identifier) (qualified_identifier)] @reference.call)
(base_class_clause [(type_identifier) (qualified_identifier)] @reference.base)
(base_class_clause (template_type name: (type_identifier) @reference.base))
(argument_list (identifier) @reference.use)
(type_identifier) @reference.type
(preproc_include path: (_) @import.module) @import
(using_declaration (qualified_identifier) @import.path) @import
