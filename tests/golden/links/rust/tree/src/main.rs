mod store;
mod variables;
mod builder;
use crate::store::{open, Store};

fn main() {
    let s = Store::new();
    s.put(1);
    open();
}
