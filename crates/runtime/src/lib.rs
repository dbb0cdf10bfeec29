//! The pipeline of dogu.
