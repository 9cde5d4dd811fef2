/** Keys and whom they let in. */
package dev.colony.server;
