/**
 * Capabilities: the extension point for what agents can do, and hooks: code that sees, changes or
 * replaces calls at an agent's join points. Sources: the seed's pages on the agent system and on
 * capabilities as aspects; Kiczales et al., "Aspect-Oriented Programming" (1997).
 */
package dev.colony.core.capability;
