(class_declaration name: (identifier) @name) @definition.class
(struct_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(enum_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(class_declaration body: (_) @body)
(struct_declaration body: (_) @body)
(record_declaration body: (_) @body)
(enum_declaration body: (_) @body)
(interface_declaration body: (_) @body)
(delegate_declaration name: (identifier) @name) @definition.type
(method_declaration name: (identifier) @name) @definition.method
(method_declaration body: (_) @body)
(constructor_declaration name: (identifier) @name body: (_) @body) @definition.method
(destructor_declaration name: (identifier) @name body: (_) @body) @definition.method
(operator_declaration operator: _ @name) @definition.method
(local_function_statement name: (identifier) @name body: (_) @body) @definition.function
(property_declaration name: (identifier) @name) @definition.method
(property_declaration accessors: (_) @body)
(property_declaration value: (arrow_expression_clause) @body)
(enum_member_declaration name: (identifier) @name) @definition.constant
(field_declaration (modifier "const") (variable_declaration (variable_declarator name: (identifier) @name))) @definition.constant
(namespace_declaration name: (_) @name body: (_) @body) @definition.module
(file_scoped_namespace_declaration name: (_) @package)
(attribute_list) @decorator

(invocation_expression function: [(identifier) (member_access_expression)] @reference.call)
(invocation_expression function: (conditional_access_expression (member_binding_expression name: (identifier) @reference.call))) @path
(invocation_expression function: (generic_name (identifier) @reference.call))
(object_creation_expression type: [(identifier) (qualified_name)] @reference.call)
(object_creation_expression type: (generic_name (identifier) @reference.call))
(base_list [(identifier) (qualified_name)] @reference.base)
(base_list (generic_name (identifier) @reference.base))
(base_list (primary_constructor_base_type type: (_) @reference.base))
(parameter type: (identifier) @reference.type)
(parameter type: (generic_name (identifier) @reference.type))
(method_declaration returns: (identifier) @reference.type)
(property_declaration type: (identifier) @reference.type)
(variable_declaration type: [(identifier) (qualified_name)] @reference.type)
(variable_declaration type: (generic_name (identifier) @reference.type))
(type_argument_list (identifier) @reference.type)
(argument (identifier) @reference.use)

(using_directive name: (identifier) @import.namespace)
(using_directive . (_) @import.module .) @import
(using_directive name: (identifier) (_) @import.module) @import
