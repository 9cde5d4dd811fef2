/**
 * How types get their names and blueprints become objects: a closed registry, filled through {@link
 * java.util.ServiceLoader}. No class name comes from the wire.
 */
package dev.colony.core.registry;
