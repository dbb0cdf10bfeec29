//! Commands behind walls, tried from inside, in a real shell and a real Python.
#![cfg(target_os = "linux")]

mod attacks;
mod life;
mod work;
mod world;
