(rule_set (selectors) @name (block) @body) @definition.class
(keyframes_statement (keyframes_name) @name) @definition.function
(declaration (property_name) @name) @definition.constant
(import_statement (string_value) @import.module) @import
(import_statement (call_expression (arguments (string_value) @import.module))) @import
