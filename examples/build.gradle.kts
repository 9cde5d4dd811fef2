dependencies {
    api(project(":deploy"))
    testImplementation(project(path = ":agent-runtime", configuration = "testJar"))
}
