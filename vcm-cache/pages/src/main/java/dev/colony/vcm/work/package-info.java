/** Doing many things with a bound on how many at once. Depends on the JDK. */
package dev.colony.vcm.work;
