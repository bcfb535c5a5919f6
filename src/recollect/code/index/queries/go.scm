(function_declaration name: (identifier) @name) @definition.function
(function_declaration body: (_) @body)
(method_declaration receiver: (parameter_list (parameter_declaration type: [(type_identifier) @owner (generic_type type: (_) @owner) (pointer_type [(type_identifier) @owner (generic_type type: (_) @owner)])])) name: (field_identifier) @name body: (_) @body) @definition.method
(type_spec name: (type_identifier) @name type: (struct_type) @body) @definition.class
(type_spec name: (type_identifier) @name type: (interface_type) @body) @definition.interface
(type_spec name: (type_identifier) @name) @definition.type
(type_alias name: (type_identifier) @name) @definition.type
(method_elem name: (field_identifier) @name) @definition.method
(source_file (const_declaration (const_spec (identifier) @name) @definition.constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @definition.constant))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @definition.constant)))
(package_clause (package_identifier) @package)

(call_expression function: [(identifier) (selector_expression)] @reference.call)
(call_expression function: (index_expression operand: [(identifier) (selector_expression)] @reference.call))
(composite_literal type: [(type_identifier) (qualified_type)] @reference.call)
(composite_literal type: (generic_type type: (_) @reference.call))
(type_conversion_expression type: (generic_type type: (_) @reference.call))
(struct_type (field_declaration_list (field_declaration !name type: [(type_identifier) (qualified_type)] @reference.base)))
(interface_type (type_elem [(type_identifier) (qualified_type)] @reference.base))
[(type_identifier) (qualified_type)] @reference.type
(argument_list [(identifier) (selector_expression)] @reference.use)
(short_var_declaration right: (expression_list [(identifier) (selector_expression)] @reference.use))
(assignment_statement right: (expression_list [(identifier) (selector_expression)] @reference.use))
(var_spec value: (expression_list [(identifier) (selector_expression)] @reference.use))
(return_statement (expression_list [(identifier) (selector_expression)] @reference.use))
(keyed_element value: (literal_element [(identifier) (selector_expression)] @reference.use))
(composite_literal type: [(map_type) (array_type) (implicit_length_array_type) (slice_type)] body: (literal_value (keyed_element key: (literal_element (identifier) @reference.use))))

(import_spec path: (_) @import.module) @import
(import_spec name: [(package_identifier) (blank_identifier)] @import.namespace)
(import_spec name: (dot) @import.star)
