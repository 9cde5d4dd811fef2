/**
 * Builds the container image of a node, without a container engine: a tarball in the layout of the
 * Open Container Initiative (image-spec 1.0), from a root file system, a Java runtime of the
 * modules that a node uses, the jars and an AOT cache (JEP 514) that was trained by running a node
 * of them.
 *
 * <p>A tool of the build: nothing of it is in the image, and no node depends on it.
 */
package dev.colony.image;
