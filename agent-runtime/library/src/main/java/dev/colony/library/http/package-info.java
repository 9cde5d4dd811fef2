/**
 * Services over HTTP that an agent may use: those that its blueprint lists, as far as the node lets
 * agents go.
 */
package dev.colony.library.http;
