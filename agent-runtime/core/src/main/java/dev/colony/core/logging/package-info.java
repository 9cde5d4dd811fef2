/** Whose doing a line of the log is. Knows the logging facade, and nothing of actors. */
package dev.colony.core.logging;
