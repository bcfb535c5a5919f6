pub fn put(n: i32) void {
    check(n);
}

fn check(n: i32) void {}
