from kit.inner.user import use

use()
