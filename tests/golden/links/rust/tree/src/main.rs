mod store;
mod variables;
use crate::store::{open, Store};

fn main() {
    let s = Store::new();
    s.put(1);
    open();
}
