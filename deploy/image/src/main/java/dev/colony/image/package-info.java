/**
 * What the image of a node says of the work of others in it. The image itself is made by {@code
 * lay-out} and the {@code Dockerfile} of this module.
 */
package dev.colony.image;
