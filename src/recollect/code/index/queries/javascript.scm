; Definitions. Where two patterns capture the same node, the capture that comes first in this file counts.
(function_declaration name: (identifier) @name body: (_) @body) @definition.function
(generator_function_declaration name: (identifier) @name body: (_) @body) @definition.function
(class_declaration name: (identifier) @name body: (_) @body) @definition.class
(method_definition name: (_) @name) @definition.method @bodied
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)] @bodied) @definition.function
(variable_declarator name: (identifier) @name value: (class) @bodied) @definition.class
(field_definition property: (_) @name value: [(arrow_function) (function_expression)] @bodied) @definition.method
(pair key: [(property_identifier) (string)] @name value: [(arrow_function) (function_expression)] @bodied) @definition.function
(assignment_expression left: (member_expression object: (_) @owner property: (property_identifier) @name) right: [(arrow_function) (function_expression)] @bodied) @definition.function
(assignment_expression left: (identifier) @name right: [(arrow_function) (function_expression)] @bodied) @definition.function
(assignment_expression left: (member_expression object: (_) @owner property: (property_identifier) @name) right: (class) @bodied) @definition.class
(export_statement "default" @name value: [(function_expression !name) (arrow_function)] @bodied) @definition.function
(export_statement "default" @name value: (class !name) @bodied) @definition.class
(program (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant))
(program (variable_declaration (variable_declarator name: (identifier) @name) @definition.constant))
(program (export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant)))
(field_definition property: (property_identifier) @name) @definition.member
(call_expression arguments: (arguments . [(string) (template_string)] @name . [(arrow_function) (function_expression)] @bodied)) @definition.test
(arguments (function_expression name: (identifier) @name body: (_) @body) @definition.function)
(decorator) @decorator

(call_expression function: [(identifier) (member_expression)] @reference.call)
(new_expression constructor: [(identifier) (member_expression)] @reference.call)
(decorator [(identifier) (member_expression)] @reference.call)

(class_heritage [(identifier) (member_expression)] @reference.base)

; Names passed on: a callback, a class handed over. Kept where the file defines or imports the name.
(arguments (identifier) @reference.use)
(pair value: (identifier) @reference.use)
(shorthand_property_identifier) @reference.use

(import_statement source: (string) @import.module) @import
(import_clause (identifier) @import.default)
(namespace_import (identifier) @import.namespace)
(import_specifier name: _ @import.name)
(import_specifier alias: (_) @import.alias)
(export_statement source: (string) @import.module) @import
(export_statement "*" @import.star source: (string))
(export_statement (namespace_export (_) @import.namespace) source: (string))
(export_statement (export_clause (export_specifier name: _ @import.name)) source: (string))
(export_statement (export_clause (export_specifier alias: _ @import.alias)) source: (string))
(variable_declarator name: (identifier) @import.namespace value: (call_expression function: (identifier) @import.call arguments: (arguments . (string) @import.module .))) @import @definition.import
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @import.name) value: (call_expression function: (identifier) @import.call arguments: (arguments . (string) @import.module .))) @import
(variable_declarator name: (object_pattern (pair_pattern key: (_) @import.name value: (identifier) @import.alias)) value: (call_expression function: (identifier) @import.call arguments: (arguments . (string) @import.module .))) @import
(expression_statement (call_expression function: (identifier) @import.call arguments: (arguments . (string) @import.module .))) @import
(call_expression function: (import) @import.call arguments: (arguments . (string) @import.module)) @import

(export_statement !source (export_clause (export_specifier name: (_) @export)))
(export_statement value: (identifier) @export)
