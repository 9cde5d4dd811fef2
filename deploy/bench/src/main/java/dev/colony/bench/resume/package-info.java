/** How soon suspended agents go on, on a node that has never held them, and what they leave. */
package dev.colony.bench.resume;
