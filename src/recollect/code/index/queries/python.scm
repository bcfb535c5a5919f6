; Definitions. Where two patterns capture the same node, the capture that comes first in this file counts.
(function_definition name: (identifier) @name body: (_) @body) @definition.function
(class_definition name: (identifier) @name body: (_) @body) @definition.class
(type_alias_statement left: (type (identifier) @name)) @definition.type
(module (expression_statement (assignment left: (identifier) @name)) @definition.constant)
(class_definition body: (block (expression_statement (assignment left: (identifier) @name)) @definition.member))
(decorator) @decorator

; Calls; a decorator is called with what it decorates.
(call function: [(identifier) (attribute)] @reference.call)
(decorator [(identifier) (attribute)] @reference.call)

(class_definition superclasses: (argument_list [(identifier) (attribute)] @reference.base))
(class_definition superclasses: (argument_list (subscript value: [(identifier) (attribute)] @reference.base)))

(type [(identifier) (attribute)] @reference.type)
(type (generic_type (identifier) @reference.type))
(type (binary_operator (identifier) @reference.type))

; Names passed on: a callback, a class handed over. Kept where the file defines or imports the name.
(argument_list (identifier) @reference.use)
(keyword_argument value: (identifier) @reference.use)

(import_statement name: (dotted_name) @import.module) @import
(import_statement name: (aliased_import name: (dotted_name) @import.module alias: (identifier) @import.alias)) @import
(import_from_statement module_name: (_) @import.module name: (dotted_name) @import.name) @import
(import_from_statement module_name: (_) @import.module name: (aliased_import name: (dotted_name) @import.name alias: (identifier) @import.alias)) @import
(import_from_statement module_name: (_) @import.module (wildcard_import) @import.star) @import
