-- Schema of the shop.
CREATE SCHEMA shop;

-- People who buy.
CREATE TABLE IF NOT EXISTS shop.customers (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    note TEXT DEFAULT 'a  b'
);

CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER REFERENCES customers(id),
    total NUMERIC
);

CREATE TYPE mood AS ENUM ('happy', 'sad');
CREATE SEQUENCE order_numbers;
CREATE INDEX orders_by_customer ON orders (customer_id);

/* Who has paid how much. */
CREATE OR REPLACE VIEW revenue AS
SELECT c.name, sum_up(o.total)
FROM customers c
JOIN orders o ON o.customer_id = c.id;

CREATE MATERIALIZED VIEW top_customers AS SELECT name FROM revenue;

CREATE FUNCTION add_tax(amount NUMERIC, rate NUMERIC) RETURNS NUMERIC AS $$
BEGIN
    RETURN amount * (1 + rate);
END;
$$ LANGUAGE plpgsql;

CREATE TRIGGER touch_orders BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION add_tax();

INSERT INTO customers (id, name) VALUES (1, 'me');
