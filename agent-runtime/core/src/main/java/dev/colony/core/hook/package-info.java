/**
 * Hooks: code that sees, changes or replaces calls at an agent's join points. Source: Kiczales et
 * al., "Aspect-Oriented Programming" (1997), and the seed's capabilities as aspects.
 */
package dev.colony.core.hook;
