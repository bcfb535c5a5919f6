-- A cache that forgets.
local M = {}

local json = require("cjson")
local log = require "acme.log"
require("acme.patches")

local MAX_ITEMS <const> = 10
VERSION = "1.0"

--- Makes a cache.
-- @param size how many entries are kept
function M.new(size, ...)
  local self = setmetatable({}, { __index = M })
  if size > MAX_ITEMS then
    error("too  big")
  elseif size == 0 then
    return M.empty()
  end
  return self
end

-- Adds one entry.
function M:put(key, value)
  for _, listener in ipairs(self.listeners) do
    while listener.busy do listener:wait(json.encode(value)) end
  end
  self.store.entries:set(key, value)
  repeat local done = true until done
end

local function evict(cache) log.info(cache.name) end

function global_helper() return evict end

M.get = function(self, key) return self.store[key] end

M.policies = {
  lru = function(cache) evict(cache) end,
  limit = 3,
}

M._private = function() end

describe("cache", function()
  it("forgets", function()
    assert.is_nil(M.new(1):get("a"))
  end)
end)

return M
