/**
 * The settings of virtual context memory, read from {@code colony.vcm} (see {@code
 * reference.conf}). Depends on the JDK and the config library.
 */
package dev.colony.vcm.settings;
