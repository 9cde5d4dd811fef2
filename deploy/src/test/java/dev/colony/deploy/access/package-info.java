/** Keys and whom they let in. */
package dev.colony.deploy.access;
