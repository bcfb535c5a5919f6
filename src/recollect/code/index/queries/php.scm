(function_definition name: (name) @name body: (_) @body) @definition.function
(method_declaration name: (name) @name) @definition.method
(method_declaration body: (_) @body)
(class_declaration name: (name) @name body: (_) @body) @definition.class
(interface_declaration name: (name) @name body: (_) @body) @definition.interface
(trait_declaration name: (name) @name body: (_) @body) @definition.class
(enum_declaration name: (name) @name body: (_) @body) @definition.class
(enum_case name: (name) @name) @definition.constant
(const_declaration (const_element . (name) @name)) @definition.constant
(namespace_definition name: (_) @name body: (_) @body) @definition.module
(program (namespace_definition !body name: (_) @package))
(assignment_expression left: (variable_name (name) @name) right: [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)]) @definition.function
(attribute_group) @decorator

(function_call_expression function: [(name) (qualified_name)] @reference.call)
(member_call_expression name: (name) @reference.call) @path
(nullsafe_member_call_expression name: (name) @reference.call) @path
(scoped_call_expression name: (name) @reference.call) @path
(object_creation_expression [(name) (qualified_name)] @reference.call)
(base_clause [(name) (qualified_name)] @reference.base)
(class_interface_clause [(name) (qualified_name)] @reference.implements)
(use_declaration [(name) (qualified_name)] @reference.implements)
(named_type [(name) (qualified_name)] @reference.type)
(class_constant_access_expression . [(name) (qualified_name)] @reference.use)

(namespace_use_declaration (namespace_use_clause . [(qualified_name) (name)] @import.path) @import)
(namespace_use_declaration (namespace_use_clause alias: (name) @import.alias))
(namespace_use_declaration (namespace_name) @import.module body: (namespace_use_group (namespace_use_clause . [(name) (qualified_name) (namespace_name)] @import.name))) @import
(namespace_use_group (namespace_use_clause alias: (name) @import.alias))
(require_expression (string) @import.module) @import
(require_once_expression (string) @import.module) @import
(include_expression (string) @import.module) @import
(include_once_expression (string) @import.module) @import
