/** What every backend's inbox has in common: the bucket of a scope, and the hints. */
package dev.colony.blackboard.inbox;
