(class_declaration name: (identifier) @name body: (_) @body) @definition.class
(record_declaration name: (identifier) @name body: (_) @body) @definition.class
(enum_declaration name: (identifier) @name body: (_) @body) @definition.class
(interface_declaration name: (identifier) @name body: (_) @body) @definition.interface
(annotation_type_declaration name: (identifier) @name body: (_) @body) @definition.interface
(method_declaration name: (identifier) @name) @definition.method
(method_declaration body: (block) @body)
(constructor_declaration name: (identifier) @name body: (_) @body) @definition.method
(compact_constructor_declaration name: (identifier) @name body: (_) @body) @definition.method
(annotation_type_element_declaration name: (identifier) @name) @definition.method
(enum_constant name: (identifier) @name) @definition.constant
(enum_constant body: (_) @body)
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.member
(class_declaration (modifiers [(annotation) (marker_annotation)] @decorator))
(record_declaration (modifiers [(annotation) (marker_annotation)] @decorator))
(enum_declaration (modifiers [(annotation) (marker_annotation)] @decorator))
(interface_declaration (modifiers [(annotation) (marker_annotation)] @decorator))
(method_declaration (modifiers [(annotation) (marker_annotation)] @decorator))
(constructor_declaration (modifiers [(annotation) (marker_annotation)] @decorator))
(compact_constructor_declaration (modifiers [(annotation) (marker_annotation)] @decorator))
(package_declaration [(scoped_identifier) (identifier)] @package)

(method_invocation name: (identifier) @reference.call) @path
(object_creation_expression type: [(type_identifier) (scoped_type_identifier)] @reference.call)
(object_creation_expression type: (generic_type [(type_identifier) (scoped_type_identifier)] @reference.call))
(method_reference (_) (identifier) @reference.use) @path
(superclass [(type_identifier) (scoped_type_identifier)] @reference.base)
(superclass (generic_type [(type_identifier) (scoped_type_identifier)] @reference.base))
(super_interfaces (type_list [(type_identifier) (scoped_type_identifier)] @reference.implements))
(super_interfaces (type_list (generic_type [(type_identifier) (scoped_type_identifier)] @reference.implements)))
(extends_interfaces (type_list [(type_identifier) (scoped_type_identifier)] @reference.base))
(extends_interfaces (type_list (generic_type [(type_identifier) (scoped_type_identifier)] @reference.base)))
(marker_annotation name: (identifier) @reference.type)
(annotation name: (identifier) @reference.type)
(type_identifier) @reference.type
(argument_list (identifier) @reference.use)

(import_declaration (scoped_identifier scope: (_) @import.module name: (identifier) @import.name) .) @import
(import_declaration (_) @import.module (asterisk) @import.star) @import
