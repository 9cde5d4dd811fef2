/** The capability by which a policy spawns children and awaits them. */
package dev.colony.library.child;
