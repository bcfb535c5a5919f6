local M = {}

function M.put(n)
  M.check(n)
end

function M.check(n) end

return M
