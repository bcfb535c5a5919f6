const store = @import("store.zig");

pub fn main() void {
    store.put(1);
    helper();
}

fn helper() void {}
