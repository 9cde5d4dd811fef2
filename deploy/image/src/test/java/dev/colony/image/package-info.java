/** Tests of the image, on an image that they build. */
package dev.colony.image;
