/**
 * The MCP server of a colony over standard input and output: a bridge to the one that nodes serve
 * over HTTP, which does all the work.
 */
package dev.colony.cli.mcp;
