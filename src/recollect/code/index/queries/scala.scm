(class_definition name: (identifier) @name) @definition.class
(class_definition body: (_) @body)
(object_definition name: (identifier) @name) @definition.class
(object_definition body: (_) @body)
(trait_definition name: (identifier) @name) @definition.interface
(trait_definition body: (_) @body)
(enum_definition name: (identifier) @name body: (_) @body) @definition.class
(simple_enum_case name: (identifier) @name) @definition.constant
(full_enum_case name: (identifier) @name) @definition.constant
(package_object name: (identifier) @name body: (_) @body) @definition.module
(function_definition name: (_) @name body: (_) @body) @definition.function
(function_declaration name: (_) @name) @definition.function
(type_definition name: (type_identifier) @name) @definition.type
(given_definition name: (identifier) @name) @definition.constant
(extension_definition parameters: (parameters (parameter type: (_) @name))) @scope
(val_definition pattern: (identifier) @name) @definition.member
(compilation_unit (val_definition pattern: (identifier) @name) @definition.constant)
(call_expression function: (call_expression arguments: (arguments . (string) @name)) arguments: (block) @body) @definition.test
(package_clause name: (package_identifier) @package)
(annotation) @decorator

(call_expression function: [(identifier) (field_expression)] @reference.call)
(call_expression function: (generic_function function: [(identifier) (field_expression)] @reference.call))
(instance_expression (type_identifier) @reference.call)
(instance_expression (generic_type type: (type_identifier) @reference.call))
(extends_clause [(type_identifier) (stable_type_identifier)] @reference.base)
(extends_clause (generic_type type: (_) @reference.base))
(type_identifier) @reference.type
(arguments (identifier) @reference.use)
(infix_expression operator: (identifier) @reference.use)

(import_declaration) @import
(import_declaration) @import.tree
(field_expression) @reference.word
