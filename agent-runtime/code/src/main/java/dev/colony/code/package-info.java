/**
 * An action policy whose model writes small programs, and the sandbox that executes them. Source:
 * the seed's page on action policies (code generation).
 */
package dev.colony.code;
