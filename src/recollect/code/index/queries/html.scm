(element (start_tag (tag_name)) . (text) @name) @definition.module
(start_tag (attribute (attribute_name) (quoted_attribute_value (attribute_value) @name))) @definition.constant
(script_element (start_tag (attribute (attribute_name) @import.call (quoted_attribute_value (attribute_value) @import.module)))) @import
