/** Values as bytes: JSON in UTF-8, with the limit on its size. */
package dev.colony.blackboard.value;
