(function_item name: (identifier) @name body: (_) @body) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(struct_item name: (type_identifier) @name) @definition.class
(struct_item body: (_) @body)
(union_item name: (type_identifier) @name body: (_) @body) @definition.class
(enum_item name: (type_identifier) @name body: (_) @body) @definition.class
(enum_variant name: (identifier) @name) @definition.constant
(trait_item name: (type_identifier) @name body: (_) @body) @definition.interface
(type_item name: (type_identifier) @name) @definition.type
(associated_type name: (type_identifier) @name) @definition.type
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.constant
(mod_item name: (identifier) @name body: (_) @body) @definition.module
(mod_item name: (identifier) @name !body) @definition.module
(macro_definition name: (identifier) @name) @definition.function
(impl_item type: [(type_identifier) (scoped_type_identifier) (primitive_type)] @name) @scope
(impl_item type: (generic_type type: (_) @name)) @scope
(impl_item type: (reference_type type: (type_identifier) @name)) @scope
(attribute_item) @decorator

(call_expression function: [(identifier) (field_expression) (scoped_identifier)] @reference.call)
(call_expression function: (generic_function function: (_) @reference.call))
(token_tree (identifier) @reference.call . (token_tree))
(macro_invocation macro: [(identifier) (scoped_identifier)] @reference.call)
(struct_expression name: [(type_identifier) (scoped_type_identifier)] @reference.call)
(impl_item trait: [(type_identifier) (scoped_type_identifier)] @reference.implements)
(impl_item trait: (generic_type type: (_) @reference.implements))
(trait_item bounds: (trait_bounds [(type_identifier) (scoped_type_identifier)] @reference.base))
(type_identifier) @reference.type
(arguments [(identifier) (scoped_identifier)] @reference.use)
(let_declaration value: [(identifier) (scoped_identifier)] @reference.use)
(const_item value: [(identifier) (scoped_identifier)] @reference.use)
(static_item value: [(identifier) (scoped_identifier)] @reference.use)
(field_initializer value: [(identifier) (scoped_identifier)] @reference.use)
(array_expression [(identifier) (scoped_identifier)] @reference.use)
(block (scoped_identifier) @reference.use .)

(use_declaration argument: (_) @import.tree) @import
(extern_crate_declaration name: (identifier) @import.module) @import
(mod_item name: (identifier) @import.module !body) @import
