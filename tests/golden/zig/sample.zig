//! A ring buffer.
const std = @import("std");
const Allocator = @import("std").mem.Allocator;
const policy = @import("policy.zig");

pub const max_items: usize = 64;
var count: u32 = 0;

/// Why a push may fail.
pub const Error = error{ Full, Empty };

/// A ring of bytes.
pub const Ring = struct {
    items: []u8,
    head: usize = 0,

    const growth = 2;

    /// Makes an empty ring.
    pub fn init(allocator: Allocator, size: usize) !Ring {
        return .{ .items = try allocator.alloc(u8, size) };
    }

    pub fn push(self: *Ring, item: u8) Error!void {
        if (self.head == self.items.len) return Error.Full;
        for (self.items) |*each| {
            while (each.* != 0) : (count += 1) {
                switch (item) {
                    0 => policy.apply(self),
                    else => std.debug.print("pushed  {d}\n", .{item}),
                }
            }
        }
        self.wrap();
    }

    fn wrap(self: *Ring) void {
        self.head = 0;
    }
};

const Order = enum { ascending, descending, fn flip(self: Order) Order { return self; } };

const Value = union(enum) { int: i64, text: []const u8 };

pub fn List(comptime T: type) type {
    return struct {
        const Self = @This();
        fn first(self: Self) T { return self.items[0]; }
    };
}

export fn ring_count() u32 { return count; }
extern "c" fn puts(text: [*:0]const u8) c_int;

test "push fills the ring" {
    var ring = try Ring.init(std.testing.allocator, 1);
    try ring.push('a');
}

test Ring {
    _ = Ring.init;
}
