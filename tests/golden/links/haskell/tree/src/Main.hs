module Main where

import qualified App.Store as S
import App.Help (helper)

main = helper (S.put 1)
