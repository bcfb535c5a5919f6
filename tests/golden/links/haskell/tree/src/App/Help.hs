module App.Help where

helper x = x
