dependencies {
    api(project(":agent-runtime:library"))
    api(libs.quickjs4j)
    testImplementation(project(path = ":agent-runtime:core", configuration = "testJar"))
    testImplementation(project(":agent-runtime:testkit"))
    testImplementation(libs.logback.classic)
}
