local store = require("app.store")

local function helper() end

function run()
  store.put(1)
  helper()
end
