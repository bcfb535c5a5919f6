(class_declaration "interface" name: (identifier) @name) @definition.interface
(class_declaration name: (identifier) @name) @definition.class
(object_declaration name: (identifier) @name) @definition.class
(class_declaration (class_body) @body)
(class_declaration (enum_class_body) @body)
(object_declaration (class_body) @body)
(function_declaration name: (identifier) @name) @definition.function
(function_declaration (function_body) @body)
(function_declaration (user_type) @owner . "." name: (identifier))
(secondary_constructor "constructor" @name) @definition.method
(enum_entry (identifier) @name) @definition.constant
(type_alias type: (identifier) @name) @definition.type
(source_file (property_declaration (variable_declaration (identifier) @name)) @definition.constant)
(class_body (property_declaration (variable_declaration (identifier) @name)) @definition.member)
(package_header (qualified_identifier) @package)
(modifiers (annotation) @decorator)

(call_expression . [(identifier) (navigation_expression)] @reference.call)
(callable_reference (identifier) @reference.use .)
(delegation_specifier (constructor_invocation (user_type) @reference.base))
(delegation_specifier (user_type) @reference.implements)
(user_type (identifier) @reference.type)
(value_argument (identifier) @reference.use)

(import (qualified_identifier) @import.path) @import
(import "*" @import.star)
(import "as" (identifier) @import.alias)
