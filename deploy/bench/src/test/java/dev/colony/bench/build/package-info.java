/** Tests that hold the project itself to its rules: builds, arrows, format. */
package dev.colony.bench.build;
