{-# LANGUAGE ScopedTypeVariables #-}
-- | Ledgers of payments.
module Acme.Ledger (balance, Entry(..), Priced, module Acme.Money) where

import qualified Data.Map.Strict as Map
import Data.List (sortOn, nub)
import Acme.Money
import Prelude hiding (lookup)

-- | What was paid.
data Entry a
  = Credit a
  | Debit { amount :: Int, label :: String }
  deriving (Show, Eq)

newtype Ledger = Ledger { entries :: [Entry Int] } deriving Show

type Accounts = Map.Map String Ledger

-- | Things with a price.
class Show a => Priced a where
  -- | The price in cents.
  price :: a -> Int
  price _ = 0

instance Priced (Entry Int) where
  price (Credit n) = n
  price entry = negate (amount entry)

-- | The sum of all entries.
--
-- Never negative.
balance :: Ledger -> Int
balance (Ledger []) = 0
balance ledger
  | total < 0 = clamp total
  | otherwise = total
  where
    total = sum (map price (entries ledger))
    clamp n = max 0 n

limit = 10

(<+>) :: Ledger -> Ledger -> Ledger
a <+> b = Ledger (entries a ++ entries b)

lookup :: String -> Accounts -> Maybe Ledger
lookup name accounts = Map.lookup name accounts

main :: IO ()
main = do
  line <- getLine
  if null line
    then putStrLn "no  name"
    else case lookup line Map.empty of
      Nothing -> pure ()
      Just found -> print (balance found)

prop_neverNegative :: Ledger -> Bool
prop_neverNegative ledger = balance ledger >= 0
