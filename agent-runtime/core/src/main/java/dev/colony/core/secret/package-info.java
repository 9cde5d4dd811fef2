/** Values of blueprints and settings that name a secret of the node in place of holding it. */
package dev.colony.core.secret;
