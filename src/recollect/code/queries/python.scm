; Definitions. Where two patterns name the same thing, the first wins.
(function_definition name: (identifier) @name body: (_) @body) @definition.function
(class_definition name: (identifier) @name body: (_) @body) @definition.class
(type_alias_statement left: (type (identifier) @name)) @definition.type
(module (expression_statement (assignment left: (identifier) @name right: (lambda body: (_) @body))) @definition.function)
(module (expression_statement (assignment left: (identifier) @name)) @definition.constant)
(class_definition body: (block (expression_statement (assignment left: (identifier) @name)) @definition.member))
(decorator) @decorator

; Calls; a decorator is called with what it decorates.
(call function: (identifier) @reference.call)
(call function: (attribute object: (_) @receiver attribute: (identifier) @reference.call))
(decorator (identifier) @reference.call)
(decorator (attribute object: (_) @receiver attribute: (identifier) @reference.call))

; Bases.
(class_definition superclasses: (argument_list (identifier) @reference.base))
(class_definition superclasses: (argument_list (attribute object: (_) @receiver attribute: (identifier) @reference.base)))
(class_definition superclasses: (argument_list (subscript value: (identifier) @reference.base)))
(class_definition superclasses: (argument_list (subscript value: (attribute object: (_) @receiver attribute: (identifier) @reference.base))))

; Types.
(type (identifier) @reference.type)
(type (attribute object: (_) @receiver attribute: (identifier) @reference.type))
(type (generic_type (identifier) @reference.type))
(type (binary_operator (identifier) @reference.type))
(except_clause value: (identifier) @reference.use)

; Names passed on: a callback, a class handed over. Kept where the file defines or imports the name.
(call arguments: (argument_list (identifier) @reference.use))
(call arguments: (argument_list (attribute object: (identifier) @receiver attribute: (identifier) @reference.use)))
(keyword_argument value: (identifier) @reference.use)
(pair value: (identifier) @reference.use)
(list (identifier) @reference.use)
(assignment right: (identifier) @reference.use)
(return_statement (identifier) @reference.use)

; Imports.
(import_statement name: (dotted_name) @module) @import
(import_statement name: (aliased_import name: (dotted_name) @module alias: (identifier) @alias)) @import
(import_from_statement module_name: (_) @module name: (dotted_name) @name) @import
(import_from_statement module_name: (_) @module name: (aliased_import name: (dotted_name) @name alias: (identifier) @alias)) @import
(import_from_statement module_name: (_) @module (wildcard_import) @star) @import
