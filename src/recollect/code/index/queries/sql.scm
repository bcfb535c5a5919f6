(create_table (object_reference) @name) @definition.class
(create_table (column_definitions) @body)
(create_view (object_reference) @name) @definition.class
(create_view (create_query) @body)
(create_materialized_view (object_reference) @name) @definition.class
(create_materialized_view (create_query) @body)
(create_function (object_reference) @name) @definition.function
(create_function (function_body) @body)
(create_trigger . (_) (object_reference) @name (keyword_on)) @definition.function
(create_type (object_reference) @name) @definition.type
(create_schema (identifier) @name) @definition.module
(create_sequence (object_reference) @name) @definition.constant
(create_index column: (identifier) @name) @definition.constant

(invocation (object_reference) @reference.call)
(relation (object_reference) @reference.type)
(constraint (object_reference) @reference.type)
(column_definition (object_reference) @reference.type)
(insert (object_reference) @reference.type)
(update (relation (object_reference) @reference.type))
(alter_table (object_reference) @reference.type)
(create_index (object_reference) @reference.type)
(create_trigger (keyword_function) . (object_reference) @reference.call)
